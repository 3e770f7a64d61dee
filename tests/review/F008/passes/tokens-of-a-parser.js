var tokenType = "ACCESS_TOKEN_TYPE_V2_EXPIRED";
class Token { static tokenName = "resetPasswordTokenExpired2024"; }
const tokens = tokenize(source);
