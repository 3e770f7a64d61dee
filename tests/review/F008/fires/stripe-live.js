const stripe = Stripe("sk_live_{{rand:AZaz09:24:s35}}");
