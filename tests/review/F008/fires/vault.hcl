token = "hvs.{{rand:AZaz09_-:95:s72}}"
