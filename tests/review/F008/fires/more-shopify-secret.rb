config.secret = "shpss_{{rand:09af:32:h35}}"
