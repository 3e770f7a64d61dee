Groq(api_key="gsk_{{rand:AZaz09:52:h9}}")
