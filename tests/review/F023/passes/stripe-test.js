Stripe("pk_test_{{rand:AZaz09:24:p2}}");
