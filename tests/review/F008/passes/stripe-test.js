Stripe("sk_test_{{rand:AZaz09:24:s197}}");
Stripe("pk_test_{{rand:AZaz09:24:s198}}");
