export const q = gql`mutation ($token: String!, $password: String!) { login(token: $token, password: $password) { accessToken refreshToken } }`;
