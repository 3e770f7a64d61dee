var a={clientSecret:"{{rand:AZaz09_-:40:s166}}",b:1},c=a;
