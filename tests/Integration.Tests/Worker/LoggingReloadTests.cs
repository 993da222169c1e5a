namespace Integration.Tests.Worker;

/// <summary>A running worker applies a changed section Logging of its file.</summary>
public sealed class LoggingReloadTests
{
    [Fact]
    public async Task LevelOfTheFile_IsAppliedWhileTheWorkerRuns()
    {
        string file = Path.Combine(Directory.CreateTempSubdirectory("logging-").FullName, "worker.json");
        await File.WriteAllTextAsync(file, """{ "Routes": { "archive": { "Source": "Http", "Sink": "Memory" } } }""");
        await using RunningWorker worker = await RunningWorker.StartAsync(["--config", file]);

        await File.WriteAllTextAsync(file, """{ "Logging": { "LogLevel": { "Microsoft.AspNetCore": "Debug" """);
        await worker.Process.WaitForLineAsync(@"\[1116\] A changed section Logging cannot be used.*worker\.json: It is not JSON from line 1, byte ");
        await File.WriteAllTextAsync(file, """{ "Logging": { "LogLevel": { "Microsoft.AspNetCore": "Debug" } } }""");

        await worker.Process.WaitForLineAsync(@"\[1115\] The section Logging was changed while the worker runs: Logging:LogLevel:Microsoft\.AspNetCore=Debug");
        await worker.PostAsync("{"u8.ToArray());
        await worker.Process.WaitForLineAsync("dbug: Microsoft.AspNetCore");
    }
}
