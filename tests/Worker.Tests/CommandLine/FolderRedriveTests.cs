using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Logging.Abstractions;
using Worker.CommandLine;
using Worker.DeadLetters;

namespace Worker.Tests.CommandLine;

/// <summary>Which letters of the folder go back.</summary>
public sealed class FolderRedriveTests
{
    [Fact]
    public async Task Run_PartsOfMessages_AreLeftWhereTheyAre()
    {
        using TemporaryFolder folder = new();
        DirectoryDeadLetterStore store = new(new DeadLettersOptions { Path = folder.Path }, TimeProvider.System, NullLogger<DirectoryDeadLetterStore>.Instance);
        await store.WriteAsync(Letter("message", isPart: false), "{}"u8.ToArray(), TestContext.Current.CancellationToken);
        await store.WriteAsync(Letter("row", isPart: true), "a\tb"u8.ToArray(), TestContext.Current.CancellationToken);
        IConfigurationRoot configuration = new ConfigurationBuilder()
            .AddInMemoryCollection([KeyValuePair.Create("DeadLetters:Path", (string?)folder.Path)])
            .Build();

        RedriveResult result = await FolderRedrive.RunAsync(
            configuration, new RedriveRequest(Reason: null, Max: 10, DryRun: true, Url: null, Route: null), TestContext.Current.CancellationToken);

        result.Found.ShouldBe(1);
        store.Read().Select(letter => (letter.Letter.SourceId, letter.Letter.IsPart)).ShouldBe([("message", false), ("row", true)], ignoreOrder: true);
    }

    private static DeadLetter Letter(string id, bool isPart) => new()
    {
        SourceId = id,
        Source = "test",
        Route = "archive",
        Reason = "test",
        Description = "test",
        Attempts = 1,
        FirstSeen = DateTimeOffset.UnixEpoch,
        LastSeen = DateTimeOffset.UnixEpoch,
        IsPart = isPart,
    };
}
