const firebaseConfig = { apiKey: "AIza{{rand:AZaz09_-:35:f1}}", projectId: "board" };
