const url = `https://${user}:${password}@${host}/a`;
const dsn = "postgres://" + user + ":" + password + "@" + host;
