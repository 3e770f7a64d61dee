const passwordPattern = "^(?=.*[A-Z])(?=.*[0-9]).{8,64}$";
const passwordPlaceholder = "At least 8 characters, 1 digit";
