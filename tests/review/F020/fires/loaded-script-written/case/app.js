document.write("<script src=strings.txt></" + "script>");
