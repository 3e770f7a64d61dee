const styles = { tokenList: "TokenList_root__{{rand:AZaz09:5:h41}}", passwordField: "css-{{rand:az09:7:h42}}-passwordField" };
