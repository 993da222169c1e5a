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

    /// <summary>The compiler has the same files in both stages; to compile them to machine code takes minutes (tests/native/run).</summary>
    [Fact]
    public async Task NativeStage_Restores_AndCopiesWhatTheJitStageCopies()
    {
        using DockerBuild image = new(RepositoryFolder.Root);

        await image.RunAsync("publish-native", static command => command is ["publish", ..] ? [] : command);

        string[] stages = (await File.ReadAllTextAsync(RepositoryFolder.Combine("Dockerfile"), TestContext.Current.CancellationToken)).Split("\nFROM ");
        CopiesOf("publish-native").ShouldBe(CopiesOf("publish-jit"));

        string[] CopiesOf(string name)
        {
            string stage = stages.Single(stage => stage.StartsWith($"source AS {name}\n", StringComparison.Ordinal));
            string[] copies = [.. stage.Split('\n').Where(static line => line.StartsWith("COPY ", StringComparison.Ordinal))];
            copies.ShouldNotBeEmpty();
            return copies;
        }
    }
}
