new OpenAI({ apiKey: "sk-proj-{{rand:AZaz09_-:124:s60}}", dangerouslyAllowBrowser: true });
