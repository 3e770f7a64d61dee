const doc = editor.getDoc();
doc.write(html);
file.write("<script>");
stream.write("eval(1)");
