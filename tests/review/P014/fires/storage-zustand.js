const persist = createJSONStorage(() => localStorage);
