using System.Collections.Concurrent;
using Integration.Tests.Servers;
using Integration.Tests.Worker;
using Microsoft.Playwright;

namespace Integration.Tests.Observability;

/// <summary>The dead-letter queue of a source on the page, in a real browser.</summary>
public sealed class PageQueueTests(PageBrowser browser, AwsServer aws) : IClassFixture<PageBrowser>
{
    private const string Token = "a-token-of-the-tests";

    [Fact]
    public async Task DeadLetterQueue_IsLookedInto_AndMovedToTheFolder()
    {
        browser.Require();
        AwsEndpoint endpoint = await aws.RequireAsync();
        using SqsQueue deadLetters = await SqsQueue.CreateAsync(endpoint);
        using SqsQueue queue = await SqsQueue.CreateAsync(endpoint, deadLetters: deadLetters);
        await deadLetters.SendAsync(
            "{\"n\":<b>1", attributes: new Dictionary<string, string>(StringComparer.Ordinal) { ["DeadLetterReason"] = "malformed-json" });
        DirectoryInfo folder = Directory.CreateTempSubdirectory("page-queue-");
        await using DirectoryUnderTest sink = new();
        await using (RunningWorker worker = await RunningWorker.StartAsync(
            [.. RunningWorker.SqsArguments(endpoint, queue), .. sink.Arguments, $"--DeadLetters:Path={folder.FullName}", $"--Hosting:Token={Token}"]))
        {
            await using IBrowserContext context = await browser.Require().NewContextAsync();
            IPage page = await context.NewPageAsync();
            ConcurrentQueue<string> asked = [];
            page.Dialog += (_, dialog) =>
            {
                asked.Enqueue(dialog.Message);
                _ = dialog.AcceptAsync();
            };
            await page.GotoAsync(worker.Url.ToString());

            // The problem leads to the queue. A look changes nothing.
            ILocator problem = page.Locator("#problem-list li[data-problem=\"5001\"]");
            await Assertions.Expect(problem).ToContainTextAsync("1 message(s) wait in its dead-letter queue");
            ILocator row = page.Locator("#letter-queues li");
            await Assertions.Expect(row).ToContainTextAsync("Dead-letter queue of Sqs, route archive: 1 message");
            await problem.Locator("button").First.ClickAsync();
            await page.Locator("#token").FillAsync(Token);
            await page.Keyboard.PressAsync("Enter");
            await Assertions.Expect(page.Locator("#redrive-text")).ToContainTextAsync("Look, dry run ended: 1 dead letter found; nothing was changed.");
            await Assertions.Expect(page.Locator("#redrive-listing")).ToContainTextAsync("malformed-json  ");
            await Assertions.Expect(page.Locator("#redrive-listing")).ToContainTextAsync("{\"n\":<b>1");
            asked.ShouldBeEmpty();
            (await deadLetters.CountAsync()).Visible.ShouldBe(1);

            await row.GetByText("Move to the folder").ClickAsync();
            await Assertions
                .Expect(page.Locator("#redrive-text"))
                .ToContainTextAsync("Dead-letter queue of route archive. Move to the folder ended: 1 of 1 dead letter moved, 0 left.");
            await Assertions.Expect(page.Locator("#redrive-text")).ToContainTextAsync("malformed-json: 1 moved, 0 left");
            await Assertions.Expect(page.Locator("#letters-list li")).ToHaveCountAsync(1);
            await Assertions.Expect(page.Locator("#letters-list li")).ToContainTextAsync("route archive, from sqs");
            asked.ShouldHaveSingleItem().ShouldContain("all dead letters of Sqs, route archive");
            (await deadLetters.CountAsync()).Total.ShouldBe(0);
            await Assertions.Expect(page.Locator("#letters-list code")).ToHaveTextAsync("{\"n\":<b>1");

            // When it is counted: QueueRunTests.
            await Assertions.Expect(row).ToContainTextAsync("0 messages at the last count");

            // Corrected in its file, it goes to the queue.
            ArchiveMessage corrected = ArchiveMessage.Create("corrected");
            await File.WriteAllBytesAsync(folder.GetFiles("*.body", SearchOption.AllDirectories).Single().FullName, corrected.Body.ToArray());
            await page.Locator("#redrive-all").ClickAsync();
            await Assertions.Expect(page.Locator("#redrive-text")).ToContainTextAsync("A queue accepted 1");
            await Assertions.Expect(page.Locator("#letters-list li")).ToHaveCountAsync(0);
            await Eventually.BecomesTrueAsync(
                async () => (await sink.ReadAllAsync()).Values.Any(body => body.AsSpan().SequenceEqual(corrected.Body)), "the corrected message is stored");

            await worker.Process.WaitForLineAsync("move dead letters of the queue of route archive, all: ended: 1 done, 0 left");
        }

        folder.Delete(recursive: true);
    }
}
