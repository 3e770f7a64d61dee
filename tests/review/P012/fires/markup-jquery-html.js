jQuery("#ads").html("<iframe src='javascript:run()'></iframe>");
