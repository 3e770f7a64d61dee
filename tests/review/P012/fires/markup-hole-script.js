panel.innerHTML = "<script>" + code + "</script>";
