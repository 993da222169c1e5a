namespace Integration.Tests.Packages;

/// <summary>
/// The repository's Dockerfile restores and publishes with what it copies. That of the template: <see cref="TemplateTests"/>.
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

    /// <summary>Both stages compile the files of the first; to compile them to machine code takes minutes (tests/native/run).</summary>
    [Fact]
    public async Task NativeStage_Restores()
    {
        using DockerBuild image = new(RepositoryFolder.Root);

        await image.RunAsync("publish-native", static command => command is ["publish", ..] ? [] : command);

        string dockerfile = await File.ReadAllTextAsync(RepositoryFolder.Combine("Dockerfile"), TestContext.Current.CancellationToken);
        dockerfile.ShouldContain("\nFROM source AS publish-jit\n");
        dockerfile.ShouldContain("\nFROM source AS publish-native\n");
    }
}
