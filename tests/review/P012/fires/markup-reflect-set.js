Reflect.set(frame, "srcdoc", "<script>run()</script>");
