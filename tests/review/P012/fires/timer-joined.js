setTimeout(["refresh(", id, ")"].join(""), 10);
