using Microsoft.AspNetCore.Connections;
using Microsoft.Extensions.Logging.Abstractions;
using Quayside.Messaging.Http;

namespace Messaging.Tests.Http.Web;

public sealed class HttpConnectionsTests : IDisposable
{
    private const int Limit = 4;

    private readonly ManualTimeProvider _time = new();
    private readonly HttpConnections _connections;

    public HttpConnectionsTests() => _connections = Create(_time);

    public void Dispose() => _connections.Dispose();

    [Fact]
    public void Open_AtTheLimit_TheOldestWithoutARequestGivesWay()
    {
        HttpConnection served = Open();
        Serve(served);
        List<HttpConnection> fresh = [.. Enumerable.Range(1, Limit - 1).Select(_ => Open())];
        _time.Advance(TimeSpan.FromSeconds(2));

        HttpConnection added = Open();

        _connections.Count.ShouldBe(Limit);
        fresh.Select(IsClosed).ShouldBe([true, false, false]);
        IsClosed(served).ShouldBeFalse("Connections without a request are closed first, and this one had one.");
        added.IsReserve.ShouldBeFalse();
    }

    [Fact]
    public void Open_AtTheLimitWithIdleOnes_TheLongestIdleGivesWay()
    {
        List<HttpConnection> idle = [.. Enumerable.Range(0, Limit).Select(_ => Open())];
        idle.ForEach(Serve);
        Serve(idle[0]);

        Open();

        idle.Select(IsClosed).ShouldBe([false, true, false, false]);
    }

    [Fact]
    public void Open_AllHaveRequests_AReserveReadsTheHealthPages()
    {
        List<HttpConnection> busy = [.. Enumerable.Range(0, Limit).Select(_ => Open())];
        busy.ForEach(connection => Begin(connection).ShouldBeFalse());

        List<HttpConnection> reserve = [.. Enumerable.Range(0, HttpConnections.Reserve).Select(_ => Open())];
        reserve.ForEach(connection => Begin(connection).ShouldBeTrue());

        _connections.TryOpen(new DefaultConnectionContext("one too many")).ShouldBeNull();
        busy.Concat(reserve).ShouldAllBe(connection => !IsClosed(connection));

        // When a normal connection ends, a reserve connection takes its slot.
        _connections.Remove(busy[0]);
        _connections.Count.ShouldBe(Limit + HttpConnections.Reserve - 1);
        reserve.ForEach(_connections.EndRequest);
        Begin(reserve[^1]).ShouldBeFalse("An idle one gives way to it.");
        IsClosed(reserve[0]).ShouldBeTrue();
    }

    [Fact]
    public void Open_AllWaitForBodies_TheOneThatTakesLongestGivesWay()
    {
        List<HttpConnection> slow = [.. Enumerable.Range(0, Limit).Select(_ => Open())];
        slow.ForEach(connection => Begin(connection).ShouldBeFalse());
        slow.ForEach(_connections.BeginBody);
        _connections.EndBody(slow[0]);
        HttpConnection early = Open();
        Begin(early).ShouldBeTrue("No body has taken a second.");
        _time.Advance(TimeSpan.FromSeconds(2));
        _connections.Remove(early);

        HttpConnection added = Open();

        slow.Select(IsClosed).ShouldBe([false, true, false, false], "The first has its message, which is never given up.");
        Begin(added).ShouldBeFalse();
        _connections.Count.ShouldBe(Limit);
    }

    [Fact]
    public void Open_AFloodOfSilentOnes_ANewConnectionIsServed()
    {
        for (int i = 0; i < 1_000; i++)
        {
            Open();
        }

        HttpConnection caller = Open();

        Begin(caller).ShouldBeFalse();
        IsClosed(caller).ShouldBeFalse();
        _connections.Count.ShouldBeLessThanOrEqualTo(Limit + HttpConnections.Reserve);
    }

    [Fact]
    public void Stop_ConnectionsWithoutARequest_EndAfterTheLinger()
    {
        HttpConnection busy = Open();
        Begin(busy);
        HttpConnection answeredEarly = Open();
        Serve(answeredEarly);
        HttpConnection answeredLate = Open();
        Begin(answeredLate);
        HttpConnection fresh = Open();

        _connections.BeginStop();
        _time.Advance(HttpConnections.Linger * 2);
        new[] { busy, answeredEarly, answeredLate, fresh }.Select(IsClosed).ShouldBe([false, false, false, false], "Health is read until the drain has ended.");
        _connections.EndIdle();
        _time.Advance(HttpConnections.Linger - TimeSpan.FromSeconds(1));
        _connections.EndRequest(answeredLate);
        new[] { busy, answeredEarly, answeredLate, fresh }.Select(IsClosed).ShouldBe([false, false, false, false]);

        _time.Advance(TimeSpan.FromSeconds(1));
        new[] { busy, answeredEarly, answeredLate, fresh }.Select(IsClosed).ShouldBe([false, true, false, true]);

        _time.Advance(HttpConnections.Linger);
        new[] { busy, answeredLate }.Select(IsClosed).ShouldBe([false, true]);
    }

    [Fact]
    public void Stop_AnswersThatAreNotRead_EndAfterTheLimit()
    {
        HttpConnection waiting = Open();
        Begin(waiting);
        HttpConnection early = Open();
        Begin(early);
        _connections.BeginAnswer(early);
        HttpConnection late = Open();
        Begin(late);
        _time.Advance(TimeSpan.FromMinutes(10));
        IsClosed(early).ShouldBeFalse("Only a shutdown limits the time of an answer.");

        _connections.BeginStop();
        _time.Advance(HttpConnections.AnswerLimit - TimeSpan.FromSeconds(1));
        _connections.BeginAnswer(late);
        new[] { waiting, early, late }.Select(IsClosed).ShouldBe([false, false, false]);

        _time.Advance(TimeSpan.FromSeconds(1));
        new[] { waiting, early, late }.Select(IsClosed).ShouldBe([false, true, false]);

        _time.Advance(TimeSpan.FromSeconds(1));
        new[] { waiting, late }.Select(IsClosed).ShouldBe([false, true]);
    }

    [Fact]
    public void EndRequest_AfterAnAnswer_IsIdleAgain()
    {
        List<HttpConnection> answered = [.. Enumerable.Range(0, Limit).Select(_ => Open())];
        foreach (HttpConnection connection in answered)
        {
            Begin(connection);
            _connections.BeginAnswer(connection);
        }

        _connections.EndRequest(answered[1]);
        Open();

        answered.Select(IsClosed).ShouldBe([false, true, false, false], ignoreOrder: false, "Only an idle connection is replaced.");
    }

    [Fact]
    public void Begin_OnOneThatGaveWay_IsNotServed()
    {
        List<HttpConnection> idle = [.. Enumerable.Range(0, Limit).Select(_ => Open())];
        idle.ForEach(Serve);
        Open();

        _connections.TryBegin(idle[0], out _).ShouldBeFalse();
        _connections.EndRequest(idle[0]);
        _connections.Remove(idle[0]);
        _connections.Count.ShouldBe(Limit);
    }

    [Fact]
    public void Watch_NoFirstRequestInTime_IsClosed()
    {
        HttpConnection silent = Open();
        HttpConnection busy = Open();
        Begin(busy);
        HttpConnection idle = Open();
        Serve(idle);

        _time.Advance(TimeSpan.FromSeconds(10));
        IsClosed(silent).ShouldBeFalse();
        _time.Advance(TimeSpan.FromSeconds(1));

        IsClosed(silent).ShouldBeTrue();
        IsClosed(busy).ShouldBeFalse();
        IsClosed(idle).ShouldBeFalse();
        _connections.Count.ShouldBe(2);
    }

    [Fact]
    public async Task Serve_UntilItsEnd_CountsItAndForgetsIt()
    {
        await _connections.ServeAsync(new DefaultConnectionContext("c"), transport =>
        {
            transport.Features.Get<HttpConnection>()!.Owner.ShouldBe(_connections);
            _connections.Count.ShouldBe(1);
            return Task.CompletedTask;
        });

        _connections.Count.ShouldBe(0);
    }

    private static HttpConnections Create(TimeProvider time) =>
        new(new WebOptions { MaxConnections = Limit }, time, NullLogger<HttpConnections>.Instance);

    private static bool IsClosed(HttpConnection connection) => !connection.IsOpen;

    private HttpConnection Open() => _connections.TryOpen(new DefaultConnectionContext("c")).ShouldNotBeNull();

    /// <summary>Begins a request; true when the connection may only read the health pages.</summary>
    private bool Begin(HttpConnection connection)
    {
        _connections.TryBegin(connection, out bool isReserve).ShouldBeTrue();
        return isReserve;
    }

    private void Serve(HttpConnection connection)
    {
        Begin(connection);
        _connections.EndRequest(connection);
    }
}
