const token = process.env.GITHUB_TOKEN;
const { password, apiKey: key } = settings;
const secret = await vault.read("board/secret");
