headers.Authorization = "lin_api_{{rand:AZaz09:40:s74}}";
