$key = 'xkeysib-{{rand:09af:64:h4}}-{{rand:AZaz09:16:h5}}';
