new Client({ auth: "ntn_{{rand:AZaz09:46:s75}}" });
