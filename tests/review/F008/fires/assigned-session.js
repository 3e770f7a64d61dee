export const SESSION_SECRET = "{{rand:AZaz09:40:s159}}";
