login(token="hf_{{rand:AZaz09:34:s64}}")
