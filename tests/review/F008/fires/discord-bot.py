client.run("MT{{rand:AZaz09:22:s48}}.G{{rand:AZaz09:5:s49}}.{{rand:AZaz09_-:38:s50}}")
