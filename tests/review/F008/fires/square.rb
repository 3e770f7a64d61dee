token = "sq0csp-{{rand:AZaz09_-:43:s38}}"
