const firebaseConfig = { apiKey: import.meta.env.VITE_FIREBASE_KEY };
