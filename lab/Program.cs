using Lab;

return await LabCommand.RunAsync(args);
