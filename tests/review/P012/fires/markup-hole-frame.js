frame.srcdoc = "<p>" + title + "</p><script>" + code + "</script>";
