const login = { user: "app", password: "{{rand:AZaz09:6:q1}}!{{rand:AZaz09:6:q2}}9k" };
