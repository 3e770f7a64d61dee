const key = "sk_live_" + "{{rand:AZaz09:24:s175}}";
