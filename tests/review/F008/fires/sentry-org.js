const auth = "sntrys_eyJ{{rand:AZaz09:120:s86}}_{{rand:AZaz09+/:43:s87}}";
