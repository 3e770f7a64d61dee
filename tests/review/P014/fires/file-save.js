const save = self.showSaveFilePicker;
const handle = await save({ suggestedName: "a.csv" });
