using Quayside.Messaging.Publishing;
using Quayside.Pipeline.Messages;

namespace Messaging.Tests.Publishing;

/// <summary>An answer that does not cover every message never counts as sent: a redrive would delete dead letters that were not.</summary>
public sealed class CheckedSenderTests
{
    private static readonly Task<string?[]> NoTask = null!;
    private static readonly OutgoingMessage[] Messages = [new("a", default), new("b", default)];

    [Theory]
    [InlineData(-1)]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(3)]
    public async Task Send_AnswersOfAnotherNumber_AreErrors(int answers)
    {
        using CheckedSender sender = new(new ScriptedSender(() => Task.FromResult(answers < 0 ? null! : new string?[answers])), "scripted");

        string?[] checkedAnswers = await sender.SendAsync(Messages, TestContext.Current.CancellationToken);

        checkedAnswers.Length.ShouldBe(2);
        checkedAnswers.ShouldAllBe(
            answer => answer!.StartsWith($"the sender scripted ({typeof(ScriptedSender).FullName}) returned ", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Send_NullTask_IsAnError()
    {
        using CheckedSender sender = new(new ScriptedSender(() => NoTask), "scripted");

        (await sender.SendAsync(Messages, TestContext.Current.CancellationToken)).ShouldAllBe(
            answer => answer!.Contains("returned null from SendAsync for 2 message(s)"));
    }

    [Fact]
    public async Task Send_AnAnswerPerMessage_IsPassedOn()
    {
        using CheckedSender sender = new(new ScriptedSender(() => Task.FromResult<string?[]>([null, "no"])), "scripted");

        (await sender.SendAsync(Messages, TestContext.Current.CancellationToken)).ShouldBe([null, "no"]);
    }

    private sealed class ScriptedSender(Func<Task<string?[]>> answer) : IMessageSender
    {
        public string Target => "nowhere";

        public string Accepted => "sent to";

        public MessageDestination? Destination => null;

        public int Concurrency => 1;

        public int BatchSize => 10;

        public Task<string?[]> SendAsync(IReadOnlyList<OutgoingMessage> messages, CancellationToken cancellationToken) => answer();

        public void Dispose()
        {
        }
    }
}
