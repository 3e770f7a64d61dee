const db = "postgres://app:{{rand:AZaz09:16:s98}}@db.acme.dev:5432/app";
