using System.Diagnostics;
using System.Security.Cryptography;
using System.Text;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Win32.SafeHandles;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Sinks.Bundles;
using Quayside.Messaging.Storage;
using Quayside.Pipeline.Buffers;

namespace Messaging.Tests.DeadLetters;

/// <summary>What the start does with unfinished objects of a killed process.</summary>
public sealed class UnfinishedDeadLettersTests : IDisposable
{
    private readonly TemporaryFolder _root = new();
    private readonly MemoryDeadLetters _deadLetters = new();
    private readonly RecordingLog _log = new();

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    public void Dispose() => _root.Dispose();

    [Fact]
    public async Task Check_OnlyCopiesAreFound_AreDeadLetteredAndThenDeleted()
    {
        Leave("m-aa-1-5.tmp", "whole");
        Leave("m-aa-2-ff.tmp", "begin");
        Leave("m-aa-3-ff.tmp", string.Empty);
        Leave("m-aa-4-0.tmp", string.Empty);

        await CheckAsync(_deadLetters);

        _deadLetters.Messages.Select(letter => $"{letter.Reason} {Encoding.UTF8.GetString(letter.Body)}").Order(StringComparer.Ordinal)
            .ShouldBe(["unfinished-at-stop ", "unfinished-at-stop begin", "unfinished-at-stop whole"]);
        _deadLetters.Records.Count(record => record.IsPart).ShouldBe(1, "Incomplete objects are not sent again.");
        Left().ShouldBeEmpty();
        _log.Entries.ShouldContain(entry => entry.Id.Id == 4003);
    }

    [Fact]
    public async Task Check_WholeBundle_IsADeadLetterPerMessage()
    {
        string[] bodies = Bodies(50);
        byte[] bundle = Bundle(bodies);
        await File.WriteAllBytesAsync(Leave($"m-orders-aa-1-{bundle.Length:x}.tmp", string.Empty), bundle, Token);

        await CheckAsync(_deadLetters);

        _deadLetters.Messages.Select(letter => Encoding.UTF8.GetString(letter.Body)).ShouldBe(bodies, ignoreOrder: true);
        _deadLetters.Messages.Select(letter => letter.Id).ShouldBeUnique();
        _deadLetters.Records.ShouldAllBe(record => !record.IsPart && record.Route == "orders" && record.Reason == "unfinished-at-stop");
        Left().ShouldBeEmpty();
    }

    [Fact]
    public async Task Check_BundleIsCutOff_ItsFirstMessagesAndItsBytesAreKept()
    {
        string[] bodies = Bodies(2_000);
        byte[] whole = Bundle(bodies);
        byte[] found = whole[..(whole.Length / 2)];
        await File.WriteAllBytesAsync(Leave($"m-orders-aa-1-{whole.Length:x}.tmp", string.Empty), found, Token);

        await CheckAsync(_deadLetters);

        DeadLetter rest = _deadLetters.Records.Where(record => record.IsPart).ShouldHaveSingleItem();
        _deadLetters.Messages.Single(letter => letter.Id == rest.SourceId).Body.ShouldBe(found);
        string[] messages = [.. _deadLetters.Messages.Where(letter => letter.Id != rest.SourceId).Select(letter => Encoding.UTF8.GetString(letter.Body))];
        messages.Length.ShouldBeInRange(1, bodies.Length - 1);
        messages.ShouldBe(bodies[..messages.Length], ignoreOrder: true);
        Left().ShouldBeEmpty();
    }

    [Fact]
    public async Task Check_BundleIsDamaged_NoneOfItsLinesIsTrusted()
    {
        byte[] bundle = Bundle(Bodies(50));
        bundle[bundle.Length / 2] ^= 1;
        await ShouldKeepAsItIsAsync(bundle);
    }

    [Fact]
    public Task Check_BundleWithoutLines_IsKeptAsItIs() => ShouldKeepAsItIsAsync([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);

    [Fact]
    public async Task Keep_CancelledOnceTheDeadLettersAreWritten_DeletesTheFile()
    {
        byte[] bundle = Bundle(Bodies(2));
        await File.WriteAllBytesAsync(Leave($"m-orders-aa-1-{bundle.Length:x}.tmp", string.Empty), bundle, Token);
        using CancellationTokenSource cancellation = new();
        using FileThreads threads = new("test", 1);
        CancellingDeadLetters store = new(_deadLetters, cancellation);
        UnfinishedDeadLetters unfinished =
            new(new DurableFolder(_root.Path, fsync: true, route: "orders"), store, threads, TimeProvider.System, NullLogger.Instance);

        await unfinished.KeepAsync("directory", "orders", cancellation.Token);

        Left().ShouldBeEmpty("The next check would write its messages again.");
        _deadLetters.Messages.Count.ShouldBe(2);
    }

    [Fact]
    public async Task Check_TwoRoutesOnOneFolder_EachRecordNamesTheRouteOfItsFile()
    {
        Leave("m-orders-aa-1-5.tmp", "whole");
        string other = Leave("m-clicks-bb-1-5.tmp", "other");

        await CheckAsync(_deadLetters);
        Left().ShouldBe(["m-clicks-bb-1-5.tmp"], "Its own route takes it.");
        File.SetLastWriteTimeUtc(other, DateTime.UtcNow.AddHours(-2));
        await CheckAsync(_deadLetters);

        _deadLetters.Records.Select(record => record.Route).ShouldBe(["orders", "clicks"]);
        Left().ShouldBeEmpty();
    }

    [Fact]
    public async Task Check_ItsProcessLives_IsLeftAlone()
    {
        string path = Leave("m-aa-1-5.tmp", "whole");
        using SafeFileHandle writer = File.OpenHandle(path, FileMode.Open, FileAccess.Write, FileShare.Read | FileShare.Delete);

        await CheckAsync(_deadLetters);

        _deadLetters.Messages.ShouldBeEmpty();
        Left().ShouldBe(["m-aa-1-5.tmp"]);
    }

    [Theory]
    [InlineData("pipe", "m-aa-1-1.tmp", "not a regular file")]
    [InlineData("sparse", "m-aa-1-c0000000.tmp", "3221225472 bytes")]
    [InlineData("link", "m-aa-1-6.tmp", "symbolic link")]
    public async Task Check_UnreadableFile_IsLoggedAndLeftAndTheOthersAreKept(string kind, string name, string problem)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "mkfifo is looked for on Linux.");
        Leave("m-aa-2-5.tmp", "whole");
        LeaveUnreadable(kind, Path.Combine(_root[DurableFolder.TemporaryFolder], name));

        await CheckAsync(_deadLetters);

        _deadLetters.Messages.Select(letter => Encoding.UTF8.GetString(letter.Body)).ShouldBe(["whole"]);
        Left().ShouldBe([name]);
        string logged = _log.Entries.Where(entry => entry.Id.Id == 5101).ShouldHaveSingleItem().Text;
        logged.ShouldContain(name);
        logged.ShouldContain(problem);
    }

    [Fact]
    public async Task CheckOfTheStore_UnreadableFile_IsLeftAndTheOthersAreKept()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Links need a privilege there.");
        using DirectoryDeadLetterStore store = new(new DeadLettersOptions { Path = _root.Path }, TimeProvider.System);
        Leave("m-aa-1-5.tmp", "whole");
        File.CreateSymbolicLink(Path.Combine(_root[DurableFolder.TemporaryFolder], "m-aa-2-5.tmp"), "/etc/hostname");

        await store.CheckAsync(Token);

        Left().ShouldBe(["m-aa-2-5.tmp"]);
        Directory.GetFiles(_root["unfinished-at-stop"], "*.body", SearchOption.AllDirectories).ShouldHaveSingleItem();
    }

    [Fact]
    public async Task Check_DeadLettersFail_StaysForTheNextStart()
    {
        Leave("m-aa-1-5.tmp", "whole");
        _deadLetters.Fail(1);

        await CheckAsync(_deadLetters);
        Left().ShouldBe(["m-aa-1-5.tmp"]);
        _log.Entries.ShouldContain(entry => entry.Id.Id == 4004);

        await CheckAsync(_deadLetters);
        Left().ShouldBeEmpty();
        _deadLetters.Messages.ShouldHaveSingleItem();
    }

    [Fact]
    public async Task Check_SourcesKeepTheirMessages_NothingIsDeadLettered()
    {
        Leave("w-aa-1-5.tmp", "whole");

        await CheckAsync(_deadLetters);
        await CheckAsync(deadLetters: null);

        _deadLetters.Messages.ShouldBeEmpty();
        Left().ShouldBe(["w-aa-1-5.tmp"], "Its source has the message; it is deleted when it is an hour old.");
        _log.Entries.ShouldNotContain(entry => entry.Id.Id == 4005);
    }

    [Fact]
    public async Task Check_NoDeadLettersButOnlyCopiesAreLeft_IsLogged()
    {
        Leave("m-orders-aa-1-5.tmp", "whole");

        await CheckAsync(deadLetters: null);

        Left().ShouldBe(["m-orders-aa-1-5.tmp"]);
        _log.Entries.ShouldContain(entry => entry.Id.Id == 4005);
    }

    [Fact]
    public async Task CheckOfTheStore_HalfADeadLetter_IsKept()
    {
        using DirectoryDeadLetterStore store = new(new DeadLettersOptions { Path = _root.Path }, TimeProvider.System);
        Leave("m-aa-1-5.tmp", "whole");

        await store.CheckAsync(Token);

        Left().ShouldBeEmpty();
        string body = Directory.GetFiles(_root["unfinished-at-stop"], "*.body", SearchOption.AllDirectories).ShouldHaveSingleItem();
        (await File.ReadAllTextAsync(body, Token)).ShouldBe("whole");
    }

    private sealed class CancellingDeadLetters(IDeadLetterStore store, CancellationTokenSource cancellation) : IDeadLetterStore
    {
        public async ValueTask<string> WriteAsync(DeadLetter letter, ReadOnlyMemory<byte> body, CancellationToken cancellationToken)
        {
            string written = await store.WriteAsync(letter, body, cancellationToken);
            await cancellation.CancelAsync();
            return written;
        }
    }

    private async Task ShouldKeepAsItIsAsync(byte[] bundle)
    {
        await File.WriteAllBytesAsync(Leave($"m-orders-aa-1-{bundle.Length:x}.tmp", string.Empty), bundle, Token);

        await CheckAsync(_deadLetters);

        _deadLetters.Messages.ShouldHaveSingleItem().Body.ShouldBe(bundle);
        Left().ShouldBeEmpty();
    }

    private async Task CheckAsync(IDeadLetterStore? deadLetters)
    {
        await using DirectorySink sink = new(
            new DirectorySinkOptions { Path = _root.Path }, new SinkServices { Services = null!, Loggers = _log, Route = "orders", DeadLetters = deadLetters });
        await sink.CheckAsync(Token);
    }

    // Hashes, since a bundle that compresses to a few bytes has no line before its middle.
    private static string[] Bodies(int count) =>
        [.. Enumerable.Range(0, count).Select(i => $$"""{"n":{{i}},"hash":"{{Convert.ToHexString(SHA256.HashData(BitConverter.GetBytes(i)))}}"}""")];

    private static byte[] Bundle(string[] bodies)
    {
        BundleWaiter[] entries = [.. bodies.Select(body =>
        {
            BundleWaiter entry = new(null!);
            entry.Open("key"u8.ToArray(), Encoding.UTF8.GetBytes(body));
            return entry;
        })];
        using PooledBuffer content = BufferPool.Shared.Rent();
        BundleContent.Write(entries, content, CancellationToken.None);
        return content.WrittenSpan.ToArray();
    }

    private string Leave(string name, string content)
    {
        Directory.CreateDirectory(_root[DurableFolder.TemporaryFolder]);
        string path = Path.Combine(_root[DurableFolder.TemporaryFolder], name);
        File.WriteAllText(path, content);
        return path;
    }

    private void LeaveUnreadable(string kind, string path)
    {
        switch (kind)
        {
            case "pipe":
                using (Process make = Process.Start("mkfifo", [path]))
                {
                    make.WaitForExit();
                }

                break;
            case "sparse":
                using (FileStream sparse = File.Create(path))
                {
                    sparse.SetLength(0xc0000000);
                }

                break;
            default:
                File.WriteAllText(_root["secret"], "secret");
                File.CreateSymbolicLink(path, _root["secret"]);
                break;
        }
    }

    private IEnumerable<string?> Left() => Directory.EnumerateFiles(_root[DurableFolder.TemporaryFolder]).Select(Path.GetFileName);
}
