using Integration.Tests.Processes;

namespace Integration.Tests.Packages;

/// <summary>
/// The repository's Dockerfile restores and publishes with what it copies, in each of its layers. That of the template: <see cref="TemplateTests"/>.
/// </summary>
[Trait("Category", "Long")]
public sealed class DockerfileTests
{
    [Fact]
    public async Task JitStage_WithWhatItCopies_PublishesAWorkerThatRuns()
    {
        using DockerBuild image = new(RepositoryFolder.Root);

        // The analyzers have no part in what is published.
        await image.RunAsync("publish-jit", command => command is ["publish", ..] ? [.. command, "-p:RunAnalyzers=false"] : command);

        (await DotnetCommand.RunAsync(image.App, "Worker.dll", "validate", "--brief")).ShouldContain("The configuration is valid");
    }

    /// <summary>The compiler to machine code takes minutes on a small machine: it runs where the worker is native (tests/native/run).</summary>
    [Fact]
    public async Task NativeStage_WithWhatItCopies_RestoresAndPublishes()
    {
        using DockerBuild image = new(RepositoryFolder.Root);

        await image.RunAsync(
            "publish-native",
            command => command is ["publish", ..] && !WorkerProcess.IsNative ? [.. command, "-p:PublishAot=false", "-p:RunAnalyzers=false"] : command);

        File.Exists(Path.Combine(image.App, "Worker")).ShouldBeTrue();
    }
}
