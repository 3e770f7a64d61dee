const users = { "deploy": { passwd: '{{rand:AZaz09:28:h34}}' } };
