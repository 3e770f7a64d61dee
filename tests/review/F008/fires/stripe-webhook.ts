const endpointSecret: string = "whsec_{{rand:AZaz09:32:s37}}";
