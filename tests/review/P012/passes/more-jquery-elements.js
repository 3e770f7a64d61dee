const row = $("<div class=\"row\">");
$("body").append("<p>hello</p>");
$("#a").html("<b>b</b>");
