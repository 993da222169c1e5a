using System.Text.Json.Nodes;

namespace Integration.Tests.Profiling;

/// <summary>What the harness says where there is no just-in-time compiler, as in a native build. The switch of the runtime stands for that build.</summary>
public sealed class HarnessNativeTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("harness-native-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData("--explain")]
    [InlineData("--trace", "native.nettrace")]
    [InlineData("--form", "all", "--explain")]
    public async Task Start_WithoutJit_RefusesWhatReadsTheDiagnosticsPort(params string[] arguments)
    {
        JsonNode config = JsonNode.Parse(
            await File.ReadAllTextAsync(Path.Combine(AppContext.BaseDirectory, "Harness.runtimeconfig.json"), TestContext.Current.CancellationToken))!;
        config["runtimeOptions"]!["configProperties"]!["System.Runtime.CompilerServices.RuntimeFeature.IsDynamicCodeSupported"] = false;
        string file = Path.Combine(_folder, "native.runtimeconfig.json");
        await File.WriteAllTextAsync(file, config.ToJsonString(), TestContext.Current.CancellationToken);
        await using HarnessProcess harness = HarnessProcess.Start(arguments, runtimeConfig: file);

        (await harness.WaitForExitAsync()).ShouldBe(64, harness.Output.Describe());

        harness.Output.Snapshot().ShouldContain(line => line.IsError && line.Text.Contains("need the JIT build", StringComparison.Ordinal));
    }
}
