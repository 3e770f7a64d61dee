new Resend("re_{{rand:AZaz09:8:h7}}_{{rand:AZaz09:24:h8}}");
