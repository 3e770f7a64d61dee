$("body").append("<script src='https://cdn.example/a.js'></" + "script>");
