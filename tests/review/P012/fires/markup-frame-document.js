frame.srcdoc = "<script>parent.run()</" + "script>";
