FB.init({ token: "EAAC{{rand:AZaz09:180:h29}}" });
