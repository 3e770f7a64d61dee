export const Login = () => <input type="password" name="password" autoComplete="current-password" placeholder="Your password" />;
