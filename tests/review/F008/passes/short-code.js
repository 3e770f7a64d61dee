const password = `${prefix}!${Random2}`;
form.password = newPasswordField2;
const fields = { password: "resetPasswordForm2", secret: "https://a.example/Secret1!" };
input.querySelector("#password-Input-2");
const id = { secret: "3f2b8c1e-9d47-4a6b-8e05-7c1d2f3a4b5c" };
const address = "0x8ba1f109551bD432803012645Ac136ddd64DBA72";
